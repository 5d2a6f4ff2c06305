/** Runs that leave, come in, begin anew from others, are mended or laid side by side. */
export const movingCommands = {} as const;

export const movingEvents = {} as const;
