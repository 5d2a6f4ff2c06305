/** Number of the line, from 1, that a place in a text is in. CRLF, LF and CR end lines. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let n = 0; n < at; n++) {
    const code = text.charCodeAt(n);
    if (code === 10 || (code === 13 && text.charCodeAt(n + 1) !== 10)) line++;
  }
  return line;
}

/** The lines of a text without what ends them; a break at the very end begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}
