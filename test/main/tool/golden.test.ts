import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { builtInTools } from '../../../src/main/tool/registry';

const hash = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** What a model sees of the built-in tools. A change here makes every saved run drift, so it is never made in passing. */
it('keeps names, order, descriptions and schemas of the built-in tools as they were', () => {
  expect(builtInTools('practice').map((tool) => [tool.def.name, tool.changes, hash(tool.def)]))
    .toMatchInlineSnapshot(`
    [
      [
        "list_files",
        false,
        "1ae99220770af49f",
      ],
      [
        "read_file",
        false,
        "3350ddd6d02dbbce",
      ],
      [
        "search_text",
        false,
        "87376b020f075bda",
      ],
      [
        "file_stats",
        false,
        "80d8b2cb834ca522",
      ],
      [
        "wait",
        false,
        "42b94133ebd9077c",
      ],
      [
        "write_file",
        true,
        "c0ec3582104ccdf7",
      ],
      [
        "append_file",
        true,
        "91125f3316017e27",
      ],
      [
        "edit_file",
        true,
        "77896eb42b1ffc3a",
      ],
      [
        "make_folder",
        true,
        "a094d9453ec2e2d2",
      ],
      [
        "move_path",
        true,
        "1eaf3dc04974b696",
      ],
      [
        "delete_path",
        true,
        "10cb402c774a6f53",
      ],
    ]
  `);
});

it('says nothing in a description that differs between folders, times or machines', () => {
  const text = JSON.stringify(builtInTools('practice').map((tool) => tool.def));
  expect(text).not.toContain(process.cwd());
  expect(text).not.toContain(new Date().getFullYear().toString());
  expect(text).not.toMatch(/linux|darwin|windows/i);
});
