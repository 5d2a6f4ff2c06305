import type { DescribeCall } from '../../shared/run/transcript';
import { builtInTools } from '../tool/registry';

/** The tool's own words for a call, by the built-in tools, so that any run can be read without its profile. */
export const describeCall: DescribeCall = (name, input) => {
  const tool = builtInTools('practice').find(({ def }) => def.name === name);
  try {
    return tool ? tool.describe(JSON.parse(input)) : `${name} ${input}`;
  } catch {
    return `${name} ${input}`;
  }
};
