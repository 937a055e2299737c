import { event, id, name, stateTable, text, timestamp } from '@tandem/contract';
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
  changes: {
    draft: { published: 'publishLandingPage', archived: 'archiveLandingPage' },
    published: { draft: 'unpublishLandingPage', archived: 'archiveLandingPage' },
    archived: {},
  },
});

const FormId = id('form').nullable().describe('The form that the page shows');

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
    examples: [['published', 'archived']],
  }),
  formId: FormId,
  url: z.string().meta({
    description: 'The public address of the page, which answers 404 while the page is not published',
    examples: ['https://api.example.com/p/PVxIKu1FQ4t4E0nk/spring-offer'],
  }),
  publishAt: timestamp()
    .nullable()
    .meta({ description: 'When the page will be published; null without a plan', examples: [null] }),
  publishedAt: timestamp()
    .nullable()
    .meta({ description: 'When the page was last published', examples: [null] }),
  publishedVersion: z
    .int()
    .nullable()
    .meta({ description: 'The number of the version that was published last', examples: [null] }),
  hasUnpublishedChanges: z.boolean().describe('Whether the page differs from the version that visitors see'),
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

/** The fields of a landing page that a request can set. */
export const writableLandingPage = z.object({
  name: shape.name,
  slug: Slug,
  description: text(2000).nullish(),
  sections: shape.sections.optional(),
  seo: Seo.optional(),
  style: Style.optional(),
  content: shape.content.optional(),
  campaignId: id('campaign').nullish(),
  formId: FormId.optional(),
  publishAt: timestamp()
    .nullish()
    .meta({
      description:
        'Publishes the page, with the changes until then, at this time; null removes the plan. Needs a page that is not empty',
      examples: ['2026-12-01T08:00:00.000Z'],
    }),
  ownerId: NewOwnerId,
});

/** A landing page as it was published. */
export const LandingPageVersion = z.object({
  number: z.int().meta({ description: 'The number of the version, from 1', examples: [1] }),
  name: shape.name,
  sections: shape.sections,
  seo: Seo,
  style: Style,
  content: shape.content,
  formId: FormId,
  campaignId: id('campaign').nullable().describe('The campaign that the page belonged to'),
  publishedBy: id('user').nullable().describe('The user who published it; null for a planned publication'),
  createdAt: timestamp().describe('When it was published'),
});
// The public address needs the codec of ids, and no consumer reads it.
const pageEvent = {
  target: 'landing_page',
  record: LandingPageSummary.omit({ url: true }),
  whenMissing: { record: { hasUnpublishedChanges: false } },
} as const;

export const landingPageCreated = event('landing_page.created', {
  ...pageEvent,
  description: 'A landing page is created',
  action: 'landing_page.create',
  data: z.object({ landingPageId: id('landing_page'), campaignId: id('campaign').nullable(), slug: Slug }),
});

export const landingPageUpdated = event('landing_page.updated', {
  ...pageEvent,
  description: 'A landing page is updated',
  action: 'landing_page.update',
  data: z.object({ landingPageId: id('landing_page'), fields: z.array(z.string()) }),
});

export const landingPageDeleted = event('landing_page.deleted', {
  ...pageEvent,
  description: 'A landing page is deleted',
  action: 'landing_page.delete',
  data: z.object({ landingPageId: id('landing_page') }),
});
