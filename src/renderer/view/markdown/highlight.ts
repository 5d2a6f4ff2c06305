import type { GrammarState, HighlighterCore, LanguageInput, ThemedToken } from 'shiki/core';

/** Loaded on demand, each from its own file; names and aliases that models use. */
const LANGUAGES: Record<string, () => Promise<{ default: LanguageInput }>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  csv: () => import('shiki/langs/csv.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  scala: () => import('shiki/langs/scala.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};
const ALIASES: Record<string, string> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  dockerfile: 'docker',
  golang: 'go',
  htm: 'html',
  svg: 'xml',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  kt: 'kotlin',
  tex: 'latex',
  makefile: 'make',
  md: 'markdown',
  patch: 'diff',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  mts: 'typescript',
  yml: 'yaml',
};

/** A line longer than this is shown without colours: tokenising it could take seconds. */
const LONG_LINE = 2_000;

/** The language's own name, or undefined where there is no grammar for it. */
export function knownLanguage(lang: string): string | undefined {
  const name = ALIASES[lang] ?? lang;
  return Object.hasOwn(LANGUAGES, name) ? name : undefined;
}

let core: Promise<HighlighterCore> | undefined;
const loaded = new Map<string, Promise<boolean>>();

async function start(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] =
    await Promise.all([import('shiki/core'), import('shiki/engine/javascript')]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'tokens', variablePrefix: '--shiki-', fontStyle: false })],
    langs: [],
    // The page's policy allows no WebAssembly, so grammars run on the browser's own regular expressions.
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

function load(lang: string): Promise<boolean> {
  let known = loaded.get(lang);
  if (!known) {
    known = (async () => {
      core ??= start();
      const grammar = LANGUAGES[lang];
      if (!grammar) return false;
      const [highlighter, module] = await Promise.all([core, grammar()]);
      await highlighter.loadLanguage(module.default);
      return true;
    })().catch(() => false);
    loaded.set(lang, known);
  }
  return known;
}

const idle = () =>
  new Promise<void>((resolve) => {
    window.requestIdleCallback(() => resolve(), { timeout: 500 });
  });

export type Tokens = ThemedToken[][];

/**
 * Milliseconds that one line may take before it is given up, from the first try to the last. The highlighter leaves such
 * a line cut in the middle, and its state wrong for what follows.
 */
const PATIENCE = [40, 200, 1_000];

/**
 * Colours a code block chunk by chunk while the window has nothing better to do. A chunk starts in the grammar state in
 * which the one before ended, so a chunk that is done is never looked at again.
 */
export class CodeColours {
  private states: (GrammarState | undefined)[] = [undefined];

  constructor(
    readonly lang: string,
    /** Milliseconds that have passed. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Tokens of the chunk with this number; chunks must be asked for in order. undefined: it stays plain. */
  async chunk(index: number, text: string): Promise<Tokens | undefined> {
    if (!(await load(this.lang))) return undefined;
    for (const patience of PATIENCE) {
      await idle();
      const found = this.within(await core, index, text, patience);
      if (found !== 'late') return found;
    }
    return undefined;
  }

  private within(
    highlighter: HighlighterCore | undefined,
    index: number,
    text: string,
    patience: number,
  ): Tokens | undefined | 'late' {
    if (!highlighter || text.split('\n').some((line) => line.length > LONG_LINE)) return undefined;
    const state = this.states[index];
    const begun = this.now();
    try {
      const { tokens, grammarState } = highlighter.codeToTokens(text, {
        lang: this.lang,
        theme: 'tokens',
        tokenizeMaxLineLength: LONG_LINE,
        tokenizeTimeLimit: patience,
        ...(state && { grammarState: state }),
      });
      // Only a chunk that took as long as one line may can have a line that was given up.
      if (this.now() - begun >= patience) return 'late';
      this.states[index + 1] = grammarState;
      return tokens;
    } catch {
      return undefined;
    }
  }
}
