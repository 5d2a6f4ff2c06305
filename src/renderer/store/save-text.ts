/** Saves a text as a file of this machine, where the browser or the person puts what is downloaded. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download reads it after the click.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
