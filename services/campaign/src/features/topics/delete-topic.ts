import { topicDeleted, type topics } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { type Reader, usersOf } from '../work/users-of.ts';
import { eventOf, lockTopic } from './topic.ts';

export const deleteTopic: Handler<typeof topics.deleteTopic> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const topic = await lockTopic(tx, params.id);
  ifMatch(topic);
  await checkUnused(context, topic.id);
  // A campaign or suppression may get the topic meanwhile.
  await tx.topic.deleteMany({ where: { id: topic.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('topic_in_use') : error;
  });
  emit(topicDeleted, eventOf(topic));
  return { id: topic.id, deleted: true };
};

async function checkUnused({ tx, ...reader }: Reader & { tx: Tx }, topicId: number): Promise<void> {
  const where = { topicId };
  const permission = 'campaigns:read';
  if (await tx.campaign.findFirst({ where, select: { id: true } }))
    throw fail(
      'topic_in_use',
      await usersOf(reader, { type: 'campaign', permission }, (only) => tx.campaign.findMany({ where, ...only })),
    );
  if (await tx.suppression.findFirst({ where, select: { id: true } }))
    throw fail(
      'topic_in_use',
      await usersOf(reader, { type: 'suppression', permission }, (only) => tx.suppression.findMany({ where, ...only })),
    );
}
