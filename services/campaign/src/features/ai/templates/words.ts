import { createHash } from 'node:crypto';

/** The topics that templates exist for. The last one is the default. */
export const variants = ['welcome', 'reengagement', 'event', 'launch', 'followup', 'generic'] as const;
export type Variant = (typeof variants)[number];

const keywords: Record<Exclude<Variant, 'generic'>, RegExp> = {
  reengagement: /\b(re-?engag\w*|win-?back|inactive|dormant|churn\w*|lapsed|reactivat\w*|cold leads?)\b/g,
  event: /\b(webinars?|events?|conferences?|workshops?|meet-?ups?|summits?|registrations?)\b/g,
  launch: /\b(launch\w*|releas\w*|new products?|new features?|introduc\w*|announc\w*|waitlists?)\b/g,
  welcome: /\b(welcom\w*|onboard\w*|sign-?ups?|signups?|trials?|new (users?|customers?|subscribers?|members?))\b/g,
  followup: /\b(follow-?ups?|follow up|nurtur\w*|demos?|meetings?|proposals?|quotes?|abandon\w*)\b/g,
};

/** The variant with the most matching words in a text. */
export function variantOf(text: string): Variant {
  const lower = text.toLowerCase();
  const found = Object.entries(keywords).map(([name, words]) => ({
    name: name as Variant,
    count: lower.match(words)?.length ?? 0,
  }));
  const best = found.reduce((most, one) => (one.count > most.count ? one : most));
  return best.count ? best.name : 'generic';
}

export type Tone = 'neutral' | 'friendly' | 'formal' | 'urgent';

/** The tone that words such as "warm and casual" ask for. */
export function toneOf(words: string | null | undefined): Tone {
  const lower = (words ?? '').toLowerCase();
  if (/urgen|direct|bold|persuasi|energetic|exciting/.test(lower)) return 'urgent';
  if (/formal|professional|serious|corporate|business/.test(lower) && !lower.includes('informal')) return 'formal';
  return /friend|casual|warm|fun|playful|informal|humor|conversational/.test(lower) ? 'friendly' : 'neutral';
}

/** A text on one line, cut after a whole word. */
export function shortened(text: string, max: number): string {
  const letters = [...text.replace(/\s+/g, ' ').trim()];
  if (letters.length <= max) return letters.join('');
  const cut = letters.slice(0, max - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`;
}

const request =
  /^(please )?((can|could) you )?(create|generate|build|write|make|design|draft)( me)?( an?| the)?( (landing )?page| (email )?(sequence|campaign|workflow))?( for| about| on| to| that)? /i;

/** A prompt without phrases such as "Create a landing page for". */
export function topicOf(prompt: string, max: number): string {
  const line = prompt.replace(/\s+/g, ' ').trim();
  const bare = shortened(line.replace(request, '') || line, max);
  const [first = '', ...rest] = [...(bare.replace(/[.!?]+$/, '') || bare)];
  return first.toUpperCase() + rest.join('');
}

/** A text in kebab-case; a default name for a text without letters of the Latin alphabet. */
export function slugOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = (plain.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 60).replace(/-$/, '');
  return slug || `page-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
