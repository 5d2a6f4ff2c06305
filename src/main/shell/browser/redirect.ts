/** A page that goes to an address at once and leaves nothing in the history. It has no script: no policy stops it. */
export function redirectPage(address: string): string {
  const safe = address.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Holdfast</title>' +
    '<meta name="referrer" content="no-referrer">' +
    `<meta http-equiv="refresh" content="0;url=${safe}"><p><a href="${safe}">Open Holdfast</a></p></html>\n`
  );
}
