import type { OpenSearch } from '../../driver/opensearch/client.ts';

const removedMax = 2_000;

/** Removes the documents of a deleted tenant from the server; a repetition continues where the last one ended. */
export const removeFromServer = (server: OpenSearch) => async (tenantId: number) => {
  await server.prepare();
  const query = { term: { tenant: String(tenantId) } };
  for (let removed = removedMax; removed === removedMax; )
    removed = await server.remove({ tenantId }, query, removedMax);
};
