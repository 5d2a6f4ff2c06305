/** How much of a prompt is looked at for a title, in characters. */
const LOOKED_AT = 6_000;

/**
 * What a prompt is about, as one line: its words without what says nothing about them. Greetings, requests ("please",
 * "can you"), blocks of code, folders in front of a file, markup and thanks go; what was asked stays. Where nothing is
 * left (a prompt that is only "hello", or only code), the prompt's own words are given. Pure; never longer than the prompt.
 */
export function titleFrom(prompt: string): string {
  const own = oneLine(prompt.slice(0, LOOKED_AT));
  const text = oneLine(plain(prompt.slice(0, LOOKED_AT)));
  const bare = asked(text);
  // A letter or digit of any script: marks alone name nothing.
  if (!/[\p{L}\p{N}]/u.test(bare)) return oneLine(withoutMarks(own));
  return bare === text ? bare : capital(bare);
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
const withoutMarks = (text: string): string => text.replace(/^[`~#>*\s]+(?=\S)/u, '');

/** The text without code, markup and the way to files. */
function plain(text: string): string {
  return (
    text
      // Fenced code; one that is not closed goes on to the end.
      .replace(/(^|\n)[ \t]*(`{3,}|~{3,})[^\n]*(?:\n[\s\S]*?(?:\n[ \t]*\2[`~]*[ \t]*(?=\n|$)|$)|$)/g, '\n')
      .replace(/<!--[\s\S]*?-->/g, ' ')
      .replace(/<\/?[a-z][\w:-]*(?:\s[^<>]{0,300})?\/?>/gi, ' ')
      .replace(/!?\[([^\]\n]{0,200})\]\([^)\s]{0,2000}(?:\s+"[^"\n]{0,200}")?\)/g, '$1')
      .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,3}[.)][ \t]+)/gm, '')
      .replace(/^[ \t]*(?:[-*_=][ \t]*){3,}$/gm, '')
      .replace(/(\*\*|~~)(?=\S)([^\n]{1,300}?\S)\1/g, '$2')
      .replace(/`([^`\n]{1,300})`/g, '$1')
      .replace(/\bhttps?:\/\/([^\s/?#]{1,253})[^\s)>\]]*/gi, '$1')
      // "/home/ada/q3/report.pdf", "~/x.txt", "C:\\Users\\ada\\x.txt": the name says enough.
      .replace(
        /(^|[\s"'“‘(（「«:：])(?:~|[A-Za-z]:|\.{1,2})?[\\/](?:[^\s\\/"'”’)）」»]{1,255}[\\/])+([^\s\\/"'”’)）」»]{1,255})?[\\/]?/g,
        '$1$2',
      )
  );
}

const GREETING = [
  'hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|dear',
  'hallo|guten (?:tag|morgen|abend)|moin(?: moin)?|servus|grüezi|grüß (?:dich|gott)',
  'bonjour|bonsoir|salut|coucou|hola|buenos d[ií]as|buenas(?: tardes| noches)?',
  'ciao|buongiorno|buonasera|salve|ol[áa]|bom dia|boa tarde|boa noite|hoi|goedemorgen|goedemiddag',
  'hej|hejsan|god morgon|hei|moi|cześć|dzień dobry|ahoj|dobrý den|merhaba|selam',
  'привет|здравствуйте|здравствуй|добрый день|доброе утро|привіт|добрий день',
].join('|');
const ASKING = [
  '(?:could|can|would|will) (?:you|u)(?: (?:please|kindly|maybe))?(?: help me(?: to)?)?',
  'please(?: (?:could|can|would|will) you)?|pls|plz|kindly',
  "i(?:’d|'d| would) like you to|i (?:want|need) you to|i (?:would|’d) appreciate it if you(?: could)?",
  'bitte|(?:kannst|könntest) du(?: bitte)?(?: mir| mal)?(?: bitte)?|(?:können|könnten) sie(?: bitte)?(?: mir)?(?: bitte)?',
  "s[’']il (?:te|vous) pla[iî]t|(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|est-ce que (?:tu peux|vous pouvez)",
  'por favor|¿?(?:puedes|podrías|puede usted|podría)|per (?:favore|piacere)|(?:puoi|potresti|può)',
  '(?:você )?(?:pode|poderia)|alsjeblieft|alstublieft|(?:kun|kan|zou) (?:je|u)(?: alsjeblieft| alstublieft)?',
  'proszę|czy (?:możesz|mógłbyś)|lütfen|snälla|kan du|пожалуйста|(?:можешь|можете)(?: ли)?(?: пожалуйста)?|будь ласка',
].join('|');

/** After a greeting comes a stop, with at most two words (a name) before it, or a request. */
const GREETED = new RegExp(
  `^(?:${GREETING})(?:(?:\\s+[\\p{L}’'.-]+){0,2}(?:\\s*[,.!:;–—]+|\\s+-+)\\s*|(?:\\s+[\\p{L}’']+)?\\s+(?=(?:${ASKING})(?![\\p{L}\\p{N}])))`,
  'iu',
);
const ASKED = new RegExp(`^[¿¡]?(?:${ASKING})(?![\\p{L}\\p{N}])[\\s,:;]*`, 'iu');
const THANKS = new RegExp(
  `[\\s,.;!–—-]+(?:please|pls|plz|bitte|danke(?: schön)?|vielen dank|thanks(?: a lot| in advance| so much)?|thank you(?: very much)?|merci(?: d[’']avance| beaucoup)?|s[’']il (?:te|vous) pla[iî]t|gracias|por favor|grazie(?: mille)?|per favore|obrigad[oa]|bedankt|dank je|спасибо|пожалуйста|дякую|dziękuję|teşekkürler|tack)[\\s.!]*$`,
  'iu',
);
/** Scripts that put no spaces between words. */
const EAST_GREETED =
  /^(?:你好|您好|嗨|哈喽|大家好|こんにちは|こんばんは|おはよう(?:ございます)?|안녕하세요|안녕)[\s,，、。.!！~～]+/u;
const EAST_ASKED =
  /^(?:请问|請問|请你|请您|请帮我|請幫我|请|請|麻烦(?:你|您)?(?:帮我)?|能不能(?:帮我)?|你能(?:不能)?(?:帮我)?|可以帮我|帮我)[\s,，]*/u;
const EAST_THANKS =
  /(?:[\s,，、。]*(?:谢谢(?:你|您)?|謝謝|ありがとうございます|よろしくお願いします|お願いします|감사합니다|고마워요?|부탁드립니다))+[。.!！\s]*$/u;

/** What is asked for, without the manners around it. */
function asked(text: string): string {
  let left = text;
  let question = false;
  for (let n = 0; n < 6; n++) {
    const before = left;
    left = left.replace(GREETED, '').replace(EAST_GREETED, '');
    const wish = left.replace(ASKED, '').replace(EAST_ASKED, '');
    if (wish !== left) question = true;
    left = wish.replace(THANKS, '').replace(EAST_THANKS, '').trim();
    if (left === before) break;
  }
  // "Can you list my files?" asks for a list.
  return question && !/[?？].*[?？]/u.test(left) ? left.replace(/\s*[?？]$/u, '') : left;
}

const capital = (text: string): string => {
  const [first = ''] = text;
  return first.toLocaleUpperCase() + text.slice(first.length);
};
