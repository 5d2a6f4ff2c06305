const standin = new URL('./electron-standin-module.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
  return specifier === 'electron' ? { url: standin, shortCircuit: true } : next(specifier, context);
}
