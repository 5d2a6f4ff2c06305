/** Chance that can be repeated: the same seed gives the same choices. */
export class Seeded {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 2654435761) >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 … n-1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Text in pieces, some of them empty. */
  pieces(text: string): string[] {
    const found: string[] = [];
    for (let at = 0; at < text.length;) {
      const size = this.below(9);
      found.push(text.slice(at, at + size));
      at += size;
    }
    return found;
  }
}
