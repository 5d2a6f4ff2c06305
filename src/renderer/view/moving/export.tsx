export function ExportDialog() {
  return null;
}
