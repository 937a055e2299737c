import { id, listQuery, operations, page } from '@tandem/contract';
import { z } from 'zod';
import { abTestDeleted } from './ab-test.ts';
import {
  LandingPage,
  LandingPageStatus,
  LandingPageSummary,
  LandingPageVersion,
  landingPageCreated,
  landingPageDeleted,
  landingPageUpdated,
  writableLandingPage,
} from './landing-page.ts';

const withId = z.object({ id: id('landing_page') });

// Each of the 200,000 characters can be a JSON escape sequence.
const bodyMax = 1_500_000;
const archivedPage = [409, 'An archived page cannot be changed; duplicate it instead'] as const;
const slugTaken = [409, 'Another landing page has this slug; use a different one'] as const;
const cleaned =
  'The content is cleaned: scripts, styles, event handlers, frames, forms, and links that run code are removed. Content with more than 250 nested levels is rejected.';

const transition = {
  method: 'POST',
  permission: 'campaigns:write',
  narrows: true,
  params: withId,
  reply: LandingPage,
  emits: [landingPageUpdated],
} as const;
const refused = { transition_refused: [409, 'The status of the page cannot change to this value'] } as const;
const changedMeanwhile = { page_changed: [409, 'The page was changed at the same time; try again'] } as const;

export const landingPages = operations({
  createLandingPage: {
    method: 'POST',
    path: '/v1/campaigns/landing-pages',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    narrows: true,
    summary: 'Create a landing page',
    description: `You can send a generated landing page unchanged. The page starts as a draft. ${cleaned}`,
    body: writableLandingPage,
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
    description: `Changes the given fields; objects and arrays are replaced as a whole. \`status\` publishes, unpublishes or archives the page by the same rules as the operations for it, after the other changes. ${cleaned}`,
    params: withId,
    body: writableLandingPage.partial().extend({ status: LandingPageStatus.optional() }),
    bodyMax,
    reply: LandingPage,
    message: 'Landing page updated',
    emits: [landingPageUpdated],
    errors: { slug_taken: slugTaken, page_archived: archivedPage, ...refused, ...changedMeanwhile },
  },
  deleteLandingPage: {
    method: 'DELETE',
    path: '/v1/campaigns/landing-pages/:id',
    permission: 'campaigns:delete',
    narrows: true,
    summary: 'Delete a landing page',
    description: 'Deletes the page with its versions. Its address answers 404 from then on.',
    params: withId,
    reply: z.object({ id: id('landing_page'), deleted: z.literal(true).describe('Always true') }),
    message: 'Landing page deleted',
    emits: [landingPageDeleted, abTestDeleted],
    errors: {
      page_in_test: [409, 'An A/B test of the page is running; stop it or declare its winner first'],
      page_is_home: [409, 'The page is the home page of a page domain; choose another one there first'],
    },
  },
  publishLandingPage: {
    ...transition,
    path: '/v1/campaigns/landing-pages/:id/publish',
    feature: 'landing_pages',
    summary: 'Publish a landing page',
    description:
      'Stores the page as its next version, which visitors see until the page is published again. Publishes the changes of a page that is published already; without changes this is refused (409). An empty page, which has neither text, images nor a published form, is refused (422).',
    message: 'Landing page published',
    errors: { ...refused, ...changedMeanwhile },
  },
  unpublishLandingPage: {
    ...transition,
    path: '/v1/campaigns/landing-pages/:id/unpublish',
    summary: 'Unpublish a landing page',
    description: 'The page is a draft again, and its address answers 404.',
    message: 'Landing page unpublished',
    errors: refused,
  },
  archiveLandingPage: {
    ...transition,
    path: '/v1/campaigns/landing-pages/:id/archive',
    summary: 'Archive a landing page',
    description: 'The address of the page answers 404, and the page can no longer be changed. This cannot be undone.',
    message: 'Landing page archived',
    errors: refused,
  },
  duplicateLandingPage: {
    method: 'POST',
    path: '/v1/campaigns/landing-pages/:id/duplicate',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    narrows: true,
    summary: 'Duplicate a landing page',
    description:
      'Creates a draft with the content of the page, without its plan and versions. It belongs to the acting user.',
    params: withId,
    body: z.object({
      name: LandingPage.shape.name.describe('By default the name with “(copy)”').optional(),
      slug: LandingPage.shape.slug.describe('By default the slug with `-copy`, and a number if it is taken').optional(),
    }),
    reply: LandingPage,
    status: 201,
    message: 'Landing page duplicated',
    emits: [landingPageCreated],
    errors: { slug_taken: slugTaken },
  },
  listLandingPageVersions: {
    method: 'GET',
    path: '/v1/campaigns/landing-pages/:id/versions',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List the versions of a landing page',
    description: 'Every publication stores a version.',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(LandingPageVersion.omit({ content: true, sections: true })),
    message: 'Versions retrieved',
  },
  getLandingPageVersion: {
    method: 'GET',
    path: '/v1/campaigns/landing-pages/:id/versions/:number',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a version of a landing page',
    params: withId.extend({
      number: z
        .string()
        .regex(/^[1-9][0-9]{0,8}$/, { error: 'Must be a number from 1' })
        .meta({ description: 'The number of the version', examples: ['1'] }),
    }),
    reply: LandingPageVersion,
    message: 'Version retrieved',
  },
});
