import type { GeneratedPage } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { shortened, slugOf, type Tone, toneOf, topicOf, type Variant, variantOf } from './words.ts';

export interface PageWish {
  prompt: string;
  industry?: string | null | undefined;
  goal?: string | null | undefined;
  tone?: string | null | undefined;
}

interface Story {
  promise: string;
  action: string;
  reasons: [title: string, text: string][];
}

const stories: Record<Variant, Story> = {
  welcome: {
    promise: 'Everything you need to begin, in one place.',
    action: 'Start now',
    reasons: [
      ['Ready in minutes', 'Sign up and see the first result on the same day.'],
      ['Guided from the start', 'Every step is explained, and help is close.'],
      ['Nothing to lose', 'Try it first and decide later.'],
    ],
  },
  reengagement: {
    promise: 'A lot has changed since your last visit.',
    action: 'Come back',
    reasons: [
      ['Better than before', 'What you asked for is there.'],
      ['Pick up where you left', 'Your data and settings are waiting.'],
      ['Made for returning', 'An offer that only former customers get.'],
    ],
  },
  event: {
    promise: 'Learn from people who do it every day.',
    action: 'Reserve your place',
    reasons: [
      ['Practical', 'Examples that you can use the next morning.'],
      ['Live answers', 'Bring your questions; there is time for them.'],
      ['Recording included', 'Watch it again whenever you like.'],
    ],
  },
  launch: {
    promise: 'A new way to get it done.',
    action: 'Be among the first',
    reasons: [
      ['Built from scratch', 'Made for how you work today.'],
      ['Simple', 'Less to set up, less to learn.'],
      ['Early access', 'The first customers help to shape it.'],
    ],
  },
  followup: {
    promise: 'The next step is a small one.',
    action: 'Book a meeting',
    reasons: [
      ['Tailored to you', 'A plan for your situation, not for everybody.'],
      ['Clear costs', 'You know what you get and what it takes.'],
      ['One contact', 'The same person from the first call on.'],
    ],
  },
  generic: {
    promise: 'See what it can do for you.',
    action: 'Get started',
    reasons: [
      ['Saves time', 'Less routine, more of what matters.'],
      ['Easy to use', 'No training needed.'],
      ['There for you', 'People who answer when you ask.'],
    ],
  },
};

/** The call to action for each goal; the first match counts. */
const actions: [words: RegExp, action: string][] = [
  [/\b(demo|call|meeting|appointment|consultation)/i, 'Book a meeting'],
  [/\b(download|e-?book|guide|whitepaper|checklist)/i, 'Download now'],
  [/\b(register|registration|rsvp|attend|webinar)/i, 'Reserve your place'],
  [/\b(buy|purchase|order|sale|sell)/i, 'Order now'],
  [/\b(sign.?up|trial|subscri|newsletter|waitlist|lead)/i, 'Sign up'],
  [/\b(contact|quote|inquir|enquir)/i, 'Contact us'],
];

const styles: Record<Tone, z.output<typeof GeneratedPage>['style']> = {
  neutral: { primaryColor: '#1d4ed8', backgroundColor: '#ffffff', fontFamily: 'Inter, Arial, sans-serif' },
  friendly: { primaryColor: '#ea580c', backgroundColor: '#fffbeb', fontFamily: 'Nunito, Verdana, sans-serif' },
  formal: { primaryColor: '#1f2937', backgroundColor: '#f9fafb', fontFamily: 'Georgia, Times, serif' },
  urgent: { primaryColor: '#dc2626', backgroundColor: '#ffffff', fontFamily: 'Montserrat, Arial, sans-serif' },
};

const leads: Record<Tone, string> = {
  neutral: '',
  friendly: 'Good to see you! ',
  formal: '',
  urgent: 'Do not wait: ',
};

/** Writes a landing page without an AI provider. The same request always gives the same page. */
export function landingPageTemplate(wish: PageWish): z.output<typeof GeneratedPage> {
  const variant = variantOf(`${wish.prompt} ${wish.goal ?? ''}`);
  const story = stories[variant];
  const tone = toneOf(wish.tone);
  const title = topicOf(wish.prompt, 70);
  const industry = shortened(wish.industry ?? '', 60);
  const promise = `${leads[tone]}${story.promise}`;
  const action = actions.find(([words]) => words.test(wish.goal ?? ''))?.[1] ?? story.action;
  return {
    name: title,
    description: shortened(`Landing page${industry && ` for ${industry}`}: ${wish.goal || wish.prompt}`, 300),
    slug: slugOf(title),
    sections: [
      { type: 'hero', label: 'Headline' },
      { type: 'features', label: 'Reasons' },
      { type: 'testimonials', label: 'What customers say' },
      { type: 'cta', label: action },
    ].map((section, order) => ({ sectionId: `section-${order + 1}`, ...section, visible: true, order })),
    seo: { title: shortened(title, 60), metaDescription: shortened(`${promise} ${title}`, 155) },
    style: styles[tone],
    content: contentOf({ title, promise, industry, action, reasons: story.reasons }),
  };
}

function contentOf(page: {
  title: string;
  promise: string;
  industry: string;
  action: string;
  reasons: Story['reasons'];
}) {
  const { title, promise, industry, action, reasons } = page;
  const list = reasons.map(([head, words]) => `<li><h3>${escaped(head)}</h3><p>${escaped(words)}</p></li>`);
  const voices = industry ? `Trusted by teams in ${industry}` : 'Trusted by teams like yours';
  return [
    `<section id="section-1" class="hero"><h1>${escaped(title)}</h1><p>${escaped(promise)}</p>`,
    `<a class="button" href="#section-4">${escaped(action)}</a></section>`,
    `<section id="section-2" class="features"><h2>Why it is worth it</h2><ul>${list.join('')}</ul></section>`,
    `<section id="section-3" class="testimonials"><h2>${escaped(voices)}</h2>`,
    '<blockquote>It did what it promised, from the first day on.</blockquote></section>',
    `<section id="section-4" class="cta"><h2>${escaped(action)}</h2><p>It takes less than a minute.</p></section>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
