import { media, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { FormField } from './form-fields.ts';
import { Form } from './forms.ts';
import { GeneratedPage } from './landing-page.ts';
import { pageVisited } from './tracking.ts';

/** A form as the page shows it. */
export const PublicForm = z.object({
  name: Form.shape.name,
  submitUrl: Form.shape.submitUrl,
  fields: z
    .array(FormField.omit({ mapsTo: true, ask: true }))
    .describe(
      'The fields to show to this visitor, in their order: without those that are asked `when_unknown` and whose answers are known, and without those beyond `askAtMost`. Known answers are never part of the page',
    ),
  consentText: Form.shape.consentText,
  doubleOptIn: Form.shape.doubleOptIn,
  redirectUrl: Form.shape.redirectUrl,
  renderToken: z.string().meta({
    description: 'Sent back with the submission; it has the time when the page was shown, and which fields it shows',
    examples: ['k1.q83vEjRWeJCrze8SNFZ4kKvN7xI'],
  }),
});

/** A published landing page as visitors see it. */
export const PublicPage = z.object({
  name: GeneratedPage.shape.name,
  slug: GeneratedPage.shape.slug,
  url: z.string().meta({
    description: 'The address of the page',
    examples: ['https://api.example.com/p/PVxIKu1FQ4t4E0nk/spring-offer'],
  }),
  sections: GeneratedPage.shape.sections,
  seo: GeneratedPage.shape.seo.partial().describe('The metadata for search engines'),
  style: GeneratedPage.shape.style.partial().describe('The style of the page'),
  content: text(1_000_000).meta({
    description: 'The page as HTML: only visible sections, in their order, with one heading of level 1',
    examples: ['<h1>Spring offer</h1><p>Until the end of April.</p>'],
  }),
  form: PublicForm.nullable().describe('The form of the page; null if it has none, or the form is not published'),
  publishedAt: timestamp().describe('When this version was published'),
});

/** The cookie that keeps a visitor of a page at the same variant of its A/B test. */
export const variantCookie = 'tandem_variant';

const cookies = {
  [variantCookie]:
    'Keeps the visitor at the same variant of the page while an A/B test of the page runs; has no personal data',
} as const;

const address = z.object({
  tenant: z
    .string()
    .max(80)
    .meta({
      description: 'The id or slug of the tenant; with the ending `--sandbox` for a page of the sandbox',
      examples: ['PVxIKu1FQ4t4E0nk'],
    }),
  slug: text(100).meta({ description: 'The slug of the page', examples: ['spring-offer'] }),
});

const domainPage = {
  method: 'GET',
  hosts: 'tenants',
  audience: 'public',
  cookies,
  reply: media('text/html'),
  message: 'The HTML page',
  emits: [pageVisited],
} as const;

const query = z.object({
  visit: z
    .string()
    .max(2000)
    .meta({
      description:
        'The token that a tracked link of a message adds, so that the visit counts for the lead, and the form does not ask what is known about the lead. Valid for 30 minutes',
      examples: ['ThisIsOnlyAnExample'],
    })
    .optional(),
});

export const publicPages = operations({
  getPublicPage: {
    method: 'GET',
    path: '/v1/public/pages/:tenant/:slug',
    audience: 'public',
    summary: 'Retrieve a published landing page',
    params: address,
    query,
    cookies,
    reply: PublicPage,
    message: 'Page retrieved',
    emits: [pageVisited],
  },
  showLandingPage: {
    method: 'GET',
    path: '/p/:tenant/:slug',
    audience: 'public',
    summary: 'Show a published landing page',
    description:
      'Returns the page as HTML, with its form. It runs no script of the customer and loads nothing but images. Pages of the sandbox ask search engines not to list them. While an A/B test of the page runs, visitors get a cookie that keeps them at their variant.',
    params: address,
    query,
    cookies,
    reply: media('text/html'),
    message: 'The HTML page',
    emits: [pageVisited],
  },
  showDomainHome: {
    ...domainPage,
    path: '/',
    summary: 'Show the home page of a page domain',
    description: 'Returns the landing page that the domain names as its home page, as HTML.',
    query,
  },
  showDomainPage: {
    ...domainPage,
    path: '/:slug',
    summary: 'Show a landing page on a page domain',
    description: 'Returns the published landing page with this slug, in the environment of the domain, as HTML.',
    params: address.pick({ slug: true }),
    query,
  },
});
