import type { topics } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';

export const listTopics: Handler<typeof topics.listTopics> = ({ query, tx, list }) =>
  list({
    model: tx.topic,
    where: query.public === undefined ? {} : { public: query.public },
    searchIn: ['name', 'description'],
  });
