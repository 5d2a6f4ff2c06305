const TAGGED = /^\s*<(think|thinking)>([\s\S]*?)(<\/\1>)?\s*$/i;

/** Thinking that a model wrote between tags into its answer: it is kept as it came, and never sent back. */
export const isTagged = (thinking: string): boolean => /^\s*<(think|thinking)>/i.test(thinking);

/** The thinking without its tags, to be read. */
export const withoutTags = (thinking: string): string => TAGGED.exec(thinking)?.[2]?.trim() ?? thinking;
