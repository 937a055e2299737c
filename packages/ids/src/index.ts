// Turns inside ids into public codes and back, one at a time or in whole JSON values by schema.
export { createIdCodec, type IdCodec } from './codec.ts';
export { compileRewriter, type Rewriter } from './rewriter.ts';
export { compileTextRewriter, type TextRewriter } from './text-rewriter.ts';
