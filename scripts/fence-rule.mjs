/**
 * The lint rule behind the import fences. ESLint's own `no-restricted-imports` does not see `import('…')`, and a fence
 * with such a gap is none. Options: `{ pattern, message }…`; `pattern` is a regular expression over the specifier.
 */
export default {
  meta: {
    type: 'problem',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pattern: { type: 'string' }, message: { type: 'string' } },
        required: ['pattern', 'message'],
        additionalProperties: false,
      },
    },
  },
  create(context) {
    const fences = context.options.map(({ pattern, message }) => ({ regex: new RegExp(pattern), message }));
    const check = (source) => {
      if (typeof source?.value !== 'string') return;
      const crossed = fences.find(({ regex }) => regex.test(source.value));
      if (crossed) context.report({ node: source, message: `"${source.value}": ${crossed.message}` });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
      TSExternalModuleReference: (node) => check(node.expression),
      'CallExpression[callee.name="require"]': (node) => check(node.arguments[0]),
    };
  },
};
