import { event, id, listQuery, name, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { NewOwnerId, OwnerId, TeamId } from './owner.ts';

export const landingPageStatuses = ['draft', 'published', 'archived'] as const;

export const LandingPageStatus = z
  .enum(landingPageStatuses)
  .describe('Whether the page is a draft, published or archived');
const Slug = z
  .string()
  .max(100, 'Must be at most 100 characters')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Must be in kebab-case, such as spring-offer')
  .meta({
    description: 'The last part of the page URL: lower-case words, separated by dashes',
    examples: ['spring-offer'],
  });
// These values are inserted into a style sheet, so characters that could end the declaration are not allowed.
const Color = z
  .string()
  .max(60)
  .regex(
    /^(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}|(rgb|hsl)a?\([0-9.,%/ ]{1,40}\))$/,
    'Must be a CSS colour, such as #1d4ed8',
  );
const FontFamily = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z0-9 ,'"_-]+$/, 'Must be font names, separated by commas');

/** A section of a landing page. */
export const Section = z.object({
  sectionId: name(100).meta({ description: 'The id of the section, unique within the page', examples: ['section-1'] }),
  type: name(50).meta({ description: 'The kind of section, such as `hero`', examples: ['hero'] }),
  label: text(200).meta({ description: 'The name of the section in the editor', examples: ['Headline'] }),
  visible: z.boolean().describe('Whether the page shows the section'),
  order: z
    .int()
    .min(0)
    .max(1000)
    .meta({ description: 'The position on the page, from 0', examples: [0] }),
});

function checkSectionIds(sections: { sectionId: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { sectionId }] of sections.entries()) {
    if (seen.has(sectionId))
      context.addIssue({
        code: 'custom',
        path: [index, 'sectionId'],
        message: 'Must be unique; another section has this sectionId',
      });
    seen.add(sectionId);
  }
}

/** Maximum number of characters of the content of a page, before and after cleaning. */
export const contentMax = 200_000;

const shape = {
  name: name(200).meta({ examples: ['Spring offer'] }),
  slug: Slug,
  sections: z.array(Section).max(100).superRefine(checkSectionIds).describe('The sections of the page, at most 100'),
  seo: z
    .object({
      title: text(200).meta({ examples: ['Spring offer'] }),
      metaDescription: text(500).meta({
        description: 'The description that search engines show',
        examples: ['Our offer until the end of April'],
      }),
    })
    .describe('The metadata for search engines'),
  style: z
    .object({
      primaryColor: Color.meta({ description: 'The CSS colour of headings and buttons', examples: ['#1d4ed8'] }),
      backgroundColor: Color.meta({ description: 'The CSS colour of the background', examples: ['#ffffff'] }),
      fontFamily: FontFamily.meta({ description: 'The CSS font family', examples: ['Inter, sans-serif'] }),
    })
    .describe('The style of the page'),
  content: text(contentMax).meta({
    description: 'The page as HTML, at most 200,000 characters',
    examples: ['<h1>Spring offer</h1><p>Until the end of April.</p>'],
  }),
};

const Seo = shape.seo.partial().describe('The metadata for search engines');
const Style = shape.style.partial().describe('The style of the page');
const Description = text(2000).meta({ examples: ['For the spring campaign'] });

/** A generated landing page. Valid as a body of POST /v1/campaigns/landing-pages. */
export const GeneratedPage = z.object({ ...shape, description: Description });

export const landingPageStates = stateTable<(typeof landingPageStatuses)[number]>('LandingPage', {
  created: { draft: 'createLandingPage' },
  changes: { draft: {}, published: {}, archived: {} },
});

export const LandingPageSummary = z.object({
  id: id('landing_page'),
  tenantId: id('tenant'),
  campaignId: id('campaign').nullable().describe('The campaign that the page belongs to'),
  name: shape.name,
  description: Description.nullable(),
  slug: Slug,
  status: LandingPageStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z.array(LandingPageStatus).meta({
    description: 'The statuses that this page can currently change to',
    examples: [[]],
  }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  ownerId: OwnerId,
  teamId: TeamId,
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A landing page with its sections and content, which lists omit. */
export const LandingPage = LandingPageSummary.extend({
  sections: shape.sections,
  seo: Seo,
  style: Style,
  content: shape.content,
});

const writable = z.object({
  name: shape.name,
  slug: Slug,
  description: text(2000).nullish(),
  sections: shape.sections.optional(),
  seo: Seo.optional(),
  style: Style.optional(),
  content: shape.content.optional(),
  campaignId: id('campaign').nullish(),
  ownerId: NewOwnerId,
});

const withId = z.object({ id: id('landing_page') });
// Each of the 200,000 characters can be a JSON escape sequence.
const bodyMax = 1_500_000;
const slugTaken = [409, 'Another landing page has this slug; use a different one'] as const;
const cleaned =
  'The content is cleaned: scripts, styles, event handlers, frames, forms, and links that run code are removed. Content with more than 250 nested levels is rejected.';

export const landingPageCreated = event('landing_page.created', {
  description: 'A landing page is created',
  action: 'landing_page.create',
  target: 'landing_page',
  data: z.object({ landingPageId: id('landing_page'), campaignId: id('campaign').nullable(), slug: Slug }),
  record: LandingPageSummary,
});

export const landingPageUpdated = event('landing_page.updated', {
  description: 'A landing page is updated',
  action: 'landing_page.update',
  target: 'landing_page',
  data: z.object({ landingPageId: id('landing_page'), fields: z.array(z.string()) }),
  record: LandingPageSummary,
});

export const landingPages = operations({
  createLandingPage: {
    method: 'POST',
    path: '/v1/campaigns/landing-pages',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    narrows: true,
    summary: 'Create a landing page',
    description: `You can send a generated landing page unchanged. The page starts as a draft. ${cleaned}`,
    body: writable,
    bodyMax,
    reply: LandingPage,
    status: 201,
    message: 'Landing page created',
    emits: [landingPageCreated],
    errors: { slug_taken: slugTaken },
  },
  listLandingPages: {
    method: 'GET',
    path: '/v1/campaigns/landing-pages',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List landing pages',
    description: 'Returns the pages without their content. `search` covers the name and the slug.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      ownerId: id('user').optional(),
      teamId: id('team').optional(),
      status: LandingPageStatus.optional(),
      campaignId: id('campaign').optional(),
    }),
    reply: page(LandingPageSummary),
    message: 'Landing pages retrieved',
  },
  getLandingPage: {
    method: 'GET',
    path: '/v1/campaigns/landing-pages/:id',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a landing page',
    params: withId,
    reply: LandingPage,
    message: 'Landing page retrieved',
  },
  updateLandingPage: {
    method: 'PATCH',
    path: '/v1/campaigns/landing-pages/:id',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    narrows: true,
    summary: 'Update a landing page',
    description: `Changes the given fields; objects and arrays are replaced as a whole. ${cleaned}`,
    params: withId,
    body: writable.partial(),
    bodyMax,
    reply: LandingPage,
    message: 'Landing page updated',
    emits: [landingPageUpdated],
    errors: { slug_taken: slugTaken },
  },
});
