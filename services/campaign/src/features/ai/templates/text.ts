import { topicOf, truncated } from './words.ts';

export interface TextRequest {
  prompt: string;
  context?: Record<string, unknown> | undefined;
}

const factsMax = 10;

/** Writes a draft without an AI provider: the request, the given context, and an outline to fill in. */
export function textTemplate({ prompt, context = {} }: TextRequest): string {
  const facts = Object.entries(context)
    .slice(0, factsMax)
    .map(([name, value]) => `- ${truncated(name, 60)}: ${truncated(asText(value), 200)}`);
  return [
    topicOf(prompt, 80),
    `This draft is about: ${truncated(prompt, 1000)}`,
    ...(facts.length ? [`Facts:\n${facts.join('\n')}`] : []),
    'Main message: say in one sentence who this is for and what they get from it.',
    'Proof: name one result, one number or one customer.',
    'Call to action: ask for one action, and say how long it takes.',
  ].join('\n\n');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
