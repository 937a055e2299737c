import type { GeneratedPage } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { slugOf, type Tone, toneOf, topicOf, truncated, type Variant, variantOf } from './words.ts';

export interface PageRequest {
  prompt: string;
  industry?: string | null | undefined;
  goal?: string | null | undefined;
  tone?: string | null | undefined;
}

/** Texts of a page. */
interface Story {
  promise: string;
  /** Text of the button. */
  action: string;
  benefits: [title: string, text: string][];
}

const stories: Record<Variant, Story> = {
  welcome: {
    promise: 'Everything you need to get started, in one place.',
    action: 'Start now',
    benefits: [
      ['Ready in minutes', 'Sign up and see the first result on the same day.'],
      ['Guided from the start', 'Every step is explained, and support is available.'],
      ['No commitment', 'Try it first and decide later.'],
    ],
  },
  reengagement: {
    promise: 'A lot has changed since your last visit.',
    action: 'Come back',
    benefits: [
      ['Better than before', 'The features that you asked for are available.'],
      ['Continue where you left off', 'Your data and settings are still there.'],
      ['Welcome back', 'An offer for returning customers only.'],
    ],
  },
  event: {
    promise: 'Learn from experienced practitioners.',
    action: 'Reserve your place',
    benefits: [
      ['Practical', 'Examples that you can use right away.'],
      ['Live answers', 'Ask your questions during the event.'],
      ['Recording included', 'Watch it again at any time.'],
    ],
  },
  launch: {
    promise: 'A new way to get it done.',
    action: 'Get early access',
    benefits: [
      ['Built from scratch', 'Designed for the way you work today.'],
      ['Simple', 'Easy to set up and easy to learn.'],
      ['Your feedback counts', 'Early customers help shape the product.'],
    ],
  },
  followup: {
    promise: 'Take the next step with us.',
    action: 'Book a meeting',
    benefits: [
      ['Tailored to you', 'A plan for your situation.'],
      ['Clear costs', 'You know what you get and what it costs.'],
      ['One contact', 'You talk to the same person from the first call.'],
    ],
  },
  generic: {
    promise: 'See what it can do for you.',
    action: 'Get started',
    benefits: [
      ['Saves time', 'Less routine work.'],
      ['Easy to use', 'No training needed.'],
      ['Reliable support', 'Our team answers your questions.'],
    ],
  },
};

/** Button text by keywords in the goal; the first match is used. */
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

const openings: Record<Tone, string> = {
  neutral: '',
  friendly: 'Good to see you! ',
  formal: '',
  urgent: 'Act now: ',
};

/** Writes a landing page without an AI provider. The same request always gives the same page. */
export function landingPageTemplate(request: PageRequest): z.output<typeof GeneratedPage> {
  const variant = variantOf(`${request.prompt} ${request.goal ?? ''}`);
  const story = stories[variant];
  const tone = toneOf(request.tone);
  const title = topicOf(request.prompt, 70);
  const industry = truncated(request.industry ?? '', 60);
  const promise = `${openings[tone]}${story.promise}`;
  const action = actions.find(([words]) => words.test(request.goal ?? ''))?.[1] ?? story.action;
  return {
    name: title,
    description: truncated(`Landing page${industry && ` for ${industry}`}: ${request.goal || request.prompt}`, 300),
    slug: slugOf(title),
    sections: [
      { type: 'hero', label: 'Headline' },
      { type: 'features', label: 'Benefits' },
      { type: 'audience', label: 'Who it is for' },
      { type: 'cta', label: action },
    ].map((section, order) => ({ sectionId: `section-${order + 1}`, ...section, visible: true, order })),
    seo: { title: truncated(title, 60), metaDescription: truncated(`${promise} ${title}`, 155) },
    style: styles[tone],
    content: contentOf({ title, promise, industry, action, benefits: story.benefits }),
  };
}

function contentOf(page: {
  title: string;
  promise: string;
  industry: string;
  action: string;
  benefits: Story['benefits'];
}) {
  const { title, promise, industry, action, benefits } = page;
  const list = benefits.map(([head, text]) => `<li><h3>${escapeHtml(head)}</h3><p>${escapeHtml(text)}</p></li>`);
  // A page without a provider knows no customers, so it quotes none and does not say that anybody trusts the product.
  const audience = industry ? `Made for ${industry}` : 'Made for people like you';
  return [
    `<section id="section-1" class="hero"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(promise)}</p>`,
    `<a class="button" href="#section-4">${escapeHtml(action)}</a></section>`,
    `<section id="section-2" class="features"><h2>Benefits</h2><ul>${list.join('')}</ul></section>`,
    `<section id="section-3" class="audience"><h2>${escapeHtml(audience)}</h2>`,
    '<p>Tell us what you need, and we tell you whether it fits before you decide.</p></section>',
    `<section id="section-4" class="cta"><h2>${escapeHtml(action)}</h2><p>It takes less than a minute.</p></section>`,
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
