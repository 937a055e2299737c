// Converts internal ids to public codes and back, one at a time or by schema in whole JSON values.
export { createIdCodec, type IdCodec } from './codec.ts';
export { compileRewriter, type Rewriter } from './rewriter.ts';
export { compileTextRewriter, type TextRewriter } from './text-rewriter.ts';
