/** The parts of a web address that we look at. */
export interface WebAddress {
  origin: string;
  protocol: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  username: string;
  password: string;
  searchParams: Iterable<[string, string]>;
}

// Every runtime has it, and each declares it in a library of its own that this folder does without.
const { URL: Parser } = globalThis as unknown as { URL: new (text: string) => WebAddress };

/** As browsers and Node read it; undefined when it is no address. */
export function parseAddress(text: string): WebAddress | undefined {
  try {
    return new Parser(text);
  } catch {
    return undefined;
  }
}
