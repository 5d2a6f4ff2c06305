import type { Tool } from '../../tool/tool';
import type { ToolWords } from './transcript';

/** What the tools that are built in say of their calls; for others the input speaks. */
export function toolWords(tools: readonly Tool[]): ToolWords {
  const byName = new Map(tools.map((tool) => [tool.def.name, tool]));
  return {
    changes: (name) => byName.get(name)?.changes,
    line(name, input) {
      const tool = byName.get(name);
      if (!tool) return input;
      try {
        return tool.describe(JSON.parse(input));
      } catch {
        return input;
      }
    },
  };
}
