/** Formats the request as one text: the prompt, then the other fields. */
export function promptText(prompt: string, fields: Record<string, string | null | undefined>): string {
  const filled = Object.entries(fields).filter(([, value]) => value);
  return [prompt, ...filled.map(([name, value]) => `${name}: ${value}`)].join('\n');
}
