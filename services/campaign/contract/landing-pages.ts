import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const landingPageStatuses = ['draft', 'published', 'archived'] as const;

const LandingPageStatus = z.enum(landingPageStatuses, { error: `Must be one of ${landingPageStatuses.join(', ')}` });
const Slug = z
  .string()
  .max(100, 'Must be at most 100 characters')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Must be in kebab-case, such as spring-offer');
// These end up in a style sheet, where other characters would begin something else.
const Color = z
  .string()
  .max(60)
  .regex(/^(#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,30}|(rgb|hsl)a?\([0-9.,%/ ]{1,40}\))$/, 'Must be a colour, such as #1d4ed8');
const FontFamily = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z0-9 ,'"_-]+$/, 'Must be names of fonts, separated by commas');

const Section = z.object({
  sectionId: name(100),
  type: name(50),
  label: text(200),
  visible: z.boolean(),
  order: z.int().min(0).max(1000),
});

function checkSectionIds(sections: { sectionId: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { sectionId }] of sections.entries()) {
    if (seen.has(sectionId))
      context.addIssue({ code: 'custom', path: [index, 'sectionId'], message: 'Another section has this sectionId' });
    seen.add(sectionId);
  }
}

/** How many characters the content of a page may have, also when it is cleaned. */
export const contentMax = 200_000;

const shape = {
  name: name(200),
  slug: Slug,
  sections: z.array(Section).max(100, 'Must hold at most 100 entries').superRefine(checkSectionIds),
  seo: z.object({ title: text(200), metaDescription: text(500) }),
  style: z.object({ primaryColor: Color, backgroundColor: Color, fontFamily: FontFamily }),
  content: text(contentMax),
};

/** A generated landing page; it can be sent to POST /v1/campaigns/landing-pages as it is. */
export const GeneratedPage = z.object({ ...shape, description: text(2000) });

export const LandingPageSummary = z.object({
  id: id('landing_page'),
  tenantId: id('tenant'),
  campaignId: id('campaign').nullable(),
  name: shape.name,
  description: text(2000).nullable(),
  slug: Slug,
  status: LandingPageStatus,
  /** The statuses that this page may move to now. */
  allowedTransitions: z.array(LandingPageStatus),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A landing page in full: with what stands on it, which lists leave out. */
export const LandingPage = LandingPageSummary.extend({
  sections: shape.sections,
  seo: shape.seo.partial(),
  style: shape.style.partial(),
  content: shape.content,
});

const writable = z.object({
  name: shape.name,
  slug: Slug,
  description: text(2000).nullish(),
  sections: shape.sections.optional(),
  seo: shape.seo.partial().optional(),
  style: shape.style.partial().optional(),
  content: shape.content.optional(),
  campaignId: id('campaign').nullish(),
});

const withId = z.object({ id: id('landing_page') });
// 200,000 characters may each be an escape in JSON.
const bodyMax = 1_500_000;
const slugTaken = [409, 'A landing page with this slug exists already'] as const;
const cleaned =
  'Removed from content: scripts, styles, event handlers, frames, forms, and links that run code. Content nested deeper than 250 levels is refused.';

export const landingPageCreated = event('landing_page.created', {
  description: 'A landing page is created',
  action: 'landing_page.create',
  target: 'landing_page',
  data: z.object({ landingPageId: id('landing_page'), campaignId: id('campaign').nullable(), slug: Slug }),
  record: LandingPageSummary,
});

export const landingPageUpdated = event('landing_page.updated', {
  description: 'Fields of a landing page are modified',
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
    narrows: true,
    summary: 'Create a landing page',
    description: `Takes a generated landing page as it is. It begins as a draft. ${cleaned}`,
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
    description: 'Without what stands on them. `search` looks into name and slug.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
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
    narrows: true,
    summary: 'Update a landing page',
    description: `Changes the given fields, each as a whole. ${cleaned}`,
    params: withId,
    body: writable.partial(),
    bodyMax,
    reply: LandingPage,
    message: 'Landing page updated',
    emits: [landingPageUpdated],
    errors: { slug_taken: slugTaken },
  },
});
