/** Ids are one path component, one NATS token, at most 128 characters. Checked before an id becomes a path or subject. */
export const RUN_ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}$/;

const DEVICE = /^(con|conin|conout|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])\$?\s*(\.|$)/i;

/**
 * Whether Windows keeps a name for a device, in any case and whatever its ending: a file of such a name cannot be opened
 * there, so nothing new gets one on any system. What has one already is opened like anything else.
 */
export const isDeviceName = (name: string): boolean => DEVICE.test(name.trim());

/** Whether a new run may have this id. */
export const isNewRunId = (id: string): boolean => RUN_ID.test(id) && !isDeviceName(id);

/** What the sample run of a first start says it comes from. */
export const SAMPLE_RUN = 'holdfast-sample';
