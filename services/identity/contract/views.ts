import {
  event,
  exceedsBytes,
  id,
  listQuery,
  name,
  operations,
  page,
  signedIn,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const ViewLayout = z.enum(['table', 'board', 'calendar']).describe('How the list is shown');
export const ViewVisibility = z
  .enum(['private', 'team', 'tenant'])
  .describe('Who sees the view: its owner, the members of the teams of its owner, or every user of the tenant');

const searchBytesMax = 4_096;
const Search = text(searchBytesMax)
  .refine((value) => value.length > searchBytesMax || !exceedsBytes(value, searchBytesMax), {
    error: 'Must be at most 4 KB',
  })
  .meta({
    description:
      'The query string of the list, without `page` and `cursor`. Ids are those of the API. A leading question mark is removed.',
    examples: ['status=qualified&sort=-score'],
  });
const Resource = text(100).meta({
  description: 'The list that the view is for: its path without `/v1/` and without ids',
  examples: ['leads'],
});
const Position = z
  .int()
  .min(0)
  .max(10_000)
  .meta({
    description: 'The position among the views of the resource, ascending',
    examples: [1],
  });

export const View = z.object({
  id: id('view'),
  tenantId: id('tenant'),
  resource: Resource,
  name: name().meta({ examples: ['Hot leads'] }),
  search: Search,
  layout: ViewLayout,
  visibility: ViewVisibility,
  position: Position,
  ownerId: id('user').describe('The user who created the view'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const data = z.object({ viewId: id('view'), resource: z.string(), name: z.string() });

export const viewCreated = event('view.created', {
  description: 'A view of a list is created',
  action: 'view.create',
  target: 'view',
  data,
  record: View,
});
export const viewUpdated = event('view.updated', {
  description: 'A view of a list is updated',
  action: 'view.update',
  target: 'view',
  data: data.extend({ fields: z.array(z.string()) }),
  record: View,
});
export const viewDeleted = event('view.deleted', {
  description: 'A view of a list is deleted',
  action: 'view.delete',
  target: 'view',
  data,
  record: View,
});

const withId = z.object({ id: id('view') });

/** Saved queries of lists. `view=<id>` on a list applies one: the gateway merges it into the query. */
export const views = operations({
  createView: {
    method: 'POST',
    path: '/v1/views',
    permission: signedIn,
    summary: 'Create a view',
    description:
      'Saves the query of a list. `view=<id>` on that list applies it; parameters of the request override those of the view. The view belongs to the environment of the request, and requires the permission to read the resource. `visibility=tenant` requires the permission `config:manage`.',
    body: z.object({
      resource: Resource,
      name: name(),
      search: Search.default(''),
      layout: ViewLayout.default('table'),
      visibility: ViewVisibility.default('private'),
      position: Position.default(0),
    }),
    reply: View,
    status: 201,
    message: 'View created',
    emits: [viewCreated],
    errors: { too_many_views: [409, 'You have 200 views; delete one first'] },
  },
  listViews: {
    method: 'GET',
    path: '/v1/views',
    permission: signedIn,
    summary: 'List views',
    description:
      'Returns the views of the caller, of their teams and of the tenant, for resources that the caller may read.',
    query: listQuery(['position', 'createdAt', 'name'], 'position')
      .omit({ search: true })
      .extend({ resource: Resource.optional() }),
    reply: page(View),
    message: 'Views retrieved',
  },
  getView: {
    method: 'GET',
    path: '/v1/views/:id',
    permission: signedIn,
    summary: 'Retrieve a view',
    params: withId,
    reply: View,
    message: 'View retrieved',
  },
  updateView: {
    method: 'PATCH',
    path: '/v1/views/:id',
    permission: signedIn,
    summary: 'Update a view',
    description:
      'The owner can update the view; users with the permission `config:manage` can also update views of the tenant.',
    params: withId,
    body: z.object({
      name: name().optional(),
      search: Search.optional(),
      layout: ViewLayout.optional(),
      visibility: ViewVisibility.optional(),
      position: Position.optional(),
    }),
    reply: View,
    message: 'View updated',
    emits: [viewUpdated],
  },
  deleteView: {
    method: 'DELETE',
    path: '/v1/views/:id',
    permission: signedIn,
    summary: 'Delete a view',
    description: 'The same users can delete a view as can update it. A deleted view cannot be restored.',
    params: withId,
    reply: z.object({ id: id('view'), deleted: z.literal(true).describe('Always true') }),
    message: 'View deleted',
    emits: [viewDeleted],
  },
});

/** For the gateway, which applies views to lists. */
export const internalViews = operations({
  findView: {
    method: 'GET',
    path: '/internal/views/:id',
    audience: 'internal',
    summary: 'Retrieve a view that the acting user of the context sees',
    params: withId,
    reply: z.object({ resource: z.string(), search: z.string() }),
    message: 'View retrieved',
  },
});
