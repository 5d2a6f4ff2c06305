/** Texts that do not depend on any file. */

export const WHO =
  'I am the **Practice model**: a small program inside Holdfast, not a language model. I need no key and no network, I answer the same thing to the same conversation, and I really use the tools of this run.';

export const HELP = `${WHO}

What I understand:

| ask | what happens |
|---|---|
| \`summarise this folder\` | lists it, counts it, reads a few files and says what is in them |
| \`list\`, \`list docs\` | lists files |
| \`read notes.txt\` | reads a file and quotes it |
| \`search WORD\`, \`search WORD in docs\` | finds lines |
| \`count\`, \`count notes.txt\` | counts files, bytes, lines and words |
| \`write FILE: TEXT\` | writes a file, after you allowed it |
| \`append FILE: TEXT\`, \`… after 10\` | adds a line, at once or over ten seconds |
| \`edit FILE: OLD -> NEW\`, \`… everywhere\` | replaces a piece of a file that is there once, or each of them |
| \`call TOOL {"name": "value"}\` | calls any tool that the profile has, with this input |
| \`wait 5\` | waits five seconds |
| \`list and read a.txt and search WORD\` | several tools in one turn |
| \`repeat 3: append log.txt: line #\` | three turns, one after the other |
| \`think about WORDS\` | thinks before it answers |
| \`long\`, \`long 500\` | a long answer with code, tables and formulas |
| \`slowly …\` | the same, in slow motion |
| \`say TEXT\` | says it |
| \`fail\`, \`fail halfway\`, \`fail with rate limit\` | fails as a service might |
| \`refuse\`, \`run out of tokens\`, \`run out of context\`, \`… while append FILE: TEXT\` | a turn that is cut short |
| \`context too long\` | fails because the conversation is too long |
| \`pause\` | pauses its turn once |`;

const SAMPLE = String.raw`## A long answer

This text is always the same. It is here so that you can see how an answer looks while it streams, and how it reads afterwards.

### Lists

1. First this
2. Then that
   - with a detail
   - and another, in *italics*
3. At last **this**

- [x] a task that is done
- [ ] a task that is not

### A table

| material | density in g/cm³ | melts at |
|---|---:|---:|
| aluminium | 2.70 | 660 °C |
| iron | 7.87 | 1,538 °C |
| gold | 19.32 | 1,064 °C |

### Code

~~~ts
/** Sums what a list of orders is worth, in cents. */
export function total(orders: { cents: number; count: number }[]): number {
  return orders.reduce((sum, order) => sum + order.cents * order.count, 0);
}
~~~

~~~python
def primes(limit):
    sieve = [True] * (limit + 1)
    for n in range(2, limit + 1):
        if sieve[n]:
            yield n
            for multiple in range(n * n, limit + 1, n):
                sieve[multiple] = False
~~~

### Formulas

Inline, as in $e^{i\pi} + 1 = 0$, and on a line of its own:

$$
\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}
$$

### A quotation

> What is written down at once
> need not be remembered later.

That is all.`;

/** The sample, or sections of it until there are about `lines` lines. */
export function longText(lines: number): string {
  const one = SAMPLE.replaceAll('~~~', '```');
  if (lines <= 0) return one;
  const sections = one.split(/\n(?=###? )/);
  const out: string[] = [];
  let count = 0;
  for (let i = 0; count < lines; i++) {
    const section = (sections[i % sections.length] ?? '').replace(/^(#+ .*)$/m, `$1 (${i + 1})`);
    out.push(section);
    count += section.split('\n').length;
  }
  return out.join('\n');
}
