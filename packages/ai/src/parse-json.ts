/** The repair instruction for a response that cannot be parsed. */
export const notJson = 'The response must be a single JSON value without other text.';

/** Parses a model's response, also inside the code fence that models often add; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  const start = text.indexOf('\n') + 1;
  const isFenced = text.trimStart().startsWith('```');
  const bare = isFenced ? text.slice(start, text.lastIndexOf('```')) : text;
  try {
    return JSON.parse(bare);
  } catch {
    return undefined;
  }
}
