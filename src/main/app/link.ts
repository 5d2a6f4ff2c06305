import { Failure } from '../../shared/run/failure';

/** An address that may be shown to a person with the question whether to open it. */
export interface OutsideLink {
  /** Normalised; the only text that may be handed to the system. */
  href: string;
  /** The whole host as it is asked for (international names in their ASCII form), or the mail address. */
  host: string;
}

const LIMIT = 2_048;
/** Fields of a mail that a link may fill in. Others reach attachments and headers in some mail programs. */
const MAIL_FIELDS = new Set(['subject', 'body', 'cc', 'bcc']);
const MAIL = /^[\w.+-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;
/** Controls, spaces, backslash, quotes, angle brackets, and characters that turn or hide text. */
const ODD =
  /[\u0000-\u0020\u007f-\u00a0\u00ad\\"'`<>^{|}\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]/;

const refuse = (why: string) =>
  new Failure({
    code: 'forbidden',
    message: `This link is not opened: ${why}.`,
    kept: 'Nothing was opened.',
    todo: 'Only https and mail addresses can be opened from here; copy the text if you trust it.',
  });

/** Reads an address that somebody (a model, a tool, a page) wants opened outside. Throws `forbidden`. */
export function outsideLink(text: string): OutsideLink {
  if (text.length > LIMIT) throw refuse('it is too long');
  if (ODD.test(text)) throw refuse('it holds characters that an address does not have');
  if (!/^(https:\/\/[^/]|mailto:[^/])/i.test(text)) throw refuse('it is neither https nor mail');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse('it is no address');
  }
  if (url.username !== '' || url.password !== '' || /^https:\/\/[^/?#]*@/i.test(text)) {
    throw refuse('it carries a name or a password');
  }
  if (url.protocol === 'mailto:') return mail(url);
  if (url.protocol !== 'https:' || url.hostname === '') throw refuse('it is neither https nor mail');
  return { href: url.href, host: url.host };
}

function mail(url: URL): OutsideLink {
  let address: string;
  try {
    address = decodeURIComponent(url.pathname);
  } catch {
    throw refuse('it is no address');
  }
  if (!MAIL.test(address) || url.hash !== '') throw refuse('it is no mail address');
  for (const field of url.searchParams.keys()) {
    if (!MAIL_FIELDS.has(field.toLowerCase())) throw refuse('it fills in more than text');
  }
  for (const [field, value] of url.searchParams) {
    if (field.toLowerCase() !== 'body' && /[\r\n]/.test(value))
      throw refuse('it breaks a line where none belongs');
  }
  return { href: url.href, host: address };
}
