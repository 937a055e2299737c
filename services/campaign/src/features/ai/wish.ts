/** The request as one text: the prompt, then the other fields. */
export function wishText(prompt: string, more: Record<string, string | null | undefined>): string {
  const said = Object.entries(more).filter(([, value]) => value);
  return [prompt, ...said.map(([name, value]) => `${name}: ${value}`)].join('\n');
}
