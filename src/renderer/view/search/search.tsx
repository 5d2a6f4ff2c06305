export function Search({ words }: { words: string }) {
  return <h1>Search {words}</h1>;
}
