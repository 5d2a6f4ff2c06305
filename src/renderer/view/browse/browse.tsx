export function Browse({ trash }: { trash: boolean }) {
  return <h1>{trash ? 'Trash' : 'All runs'}</h1>;
}
