import type { certificates } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { learnerOf } from '../enrollments/learners.ts';
import { asCertificate, withStatus } from './certificate.ts';

export const listCertificates =
  (tools: Pick<Tools, 'publicUrl'>): Handler<typeof certificates.listCertificates> =>
  async ({ query, tx, list }) => {
    const { courseId, learnerId, status } = query;
    const learner = learnerId === undefined ? undefined : learnerOf(learnerId);
    const page = await list({
      model: tx.certificate,
      where: {
        ...(courseId !== undefined && { courseId }),
        ...(learner && { learnerType: learner.type, learnerId: learner.id }),
        ...(status && withStatus(status)),
      },
    });
    return { ...page, items: page.items.map((row) => asCertificate(row, tools)) };
  };
