/** The time zone of this window, which may be another than that of the machine that Holdfast runs on. */
export const zone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
