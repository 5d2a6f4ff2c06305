/** Full-text search over the runs of all stores. */
export const searchCommands = {} as const;

export const searchEvents = {} as const;
