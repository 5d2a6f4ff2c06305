export function Compare({ a, b }: { a: string; b: string }) {
  return (
    <h1>
      Compare {a} {b}
    </h1>
  );
}
