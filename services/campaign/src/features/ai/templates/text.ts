import { shortened, topicOf } from './words.ts';

export interface TextWish {
  prompt: string;
  context?: Record<string, unknown> | undefined;
}

const factsMax = 10;

/** Writes a draft without an AI provider: the request, the given context, and an outline to fill in. */
export function textTemplate({ prompt, context = {} }: TextWish): string {
  const facts = Object.entries(context)
    .slice(0, factsMax)
    .map(([name, value]) => `- ${shortened(name, 60)}: ${shortened(asText(value), 200)}`);
  return [
    topicOf(prompt, 80),
    `This draft is about: ${shortened(prompt, 1000)}`,
    ...(facts.length ? [`What is known:\n${facts.join('\n')}`] : []),
    'What matters most: say in one sentence who it is for and what they get from it.',
    'Why it can be believed: name one result, one number or one customer.',
    'What comes next: ask for one thing only, and say how long it takes.',
  ].join('\n\n');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
