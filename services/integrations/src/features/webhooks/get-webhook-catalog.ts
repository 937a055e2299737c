import { schemaVersionOf, type webhooks } from '@tandem/integrations-contract';
import { catalogued, exampleEnvelope, furtherGroups, standardGroups } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';

export const getWebhookCatalog: Handler<typeof webhooks.getWebhookCatalog> = ({ query }) => {
  const shown = query.include === 'all' ? [...standardGroups, ...furtherGroups] : standardGroups;
  return Object.fromEntries(
    shown.map((group) => [
      group,
      catalogued
        .filter((event) => event.group === group)
        .map(({ name, description }) => ({
          event: name,
          description,
          schemaVersion: schemaVersionOf(name),
          examplePayload: exampleEnvelope(name),
        })),
    ]),
  );
};
