import { unionMember } from '@tandem/contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { type learnerNotices, learnerNotified } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { type Texts, timeFor } from '../../letters.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

type LearnerEvent = Received<typeof learnerNotified>;

/** Notifies users of their courses and certificates. Partners and leads get mail from campaign. */
export const notifyOfTraining = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-training',
    on: [learnerNotified],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      // Learners who are enrolled together get the same text.
      for (const [, group] of Map.groupBy(events.filter(isOfUser), textKeyOf)) {
        const event = group[0] as LearnerEvent;
        // Users who may not read training are not notified of it.
        const userIds = await usersWho(context.tx, 'training:read', { among: group.map(userOf) });
        if (userIds.length) notices.push({ event, notice: noticeOf(event, userIds, ids) });
      }
      await noticesOf(context, notices);
    },
  });

const memberOf = ({ data }: LearnerEvent) => unionMember('learner', data.learnerId);
const isOfUser = (event: LearnerEvent) => memberOf(event)?.type === 'user';
const userOf = (event: LearnerEvent) => memberOf(event)?.id ?? 0;

function textKeyOf({ data: { notice, courseId, courseTitle, certificateId, at } }: LearnerEvent): string {
  return JSON.stringify([notice, courseId, courseTitle, certificateId, at]);
}

function noticeOf(event: LearnerEvent, userIds: number[], ids: Tools['ids']): EventNotice['notice'] {
  const { tenantId, data } = event;
  const courseId = ids.encode('course', tenantId, data.courseId);
  const certificateId = data.certificateId === null ? null : ids.encode('certificate', tenantId, data.certificateId);
  const url = certificateId === null ? `/training/courses/${courseId}` : `/training/certificates/${certificateId}`;
  return {
    userIds,
    title: titles[data.notice],
    body: bodyOf(event),
    category: 'training',
    data: certificateId === null ? { type: 'course', id: courseId } : { type: 'certificate', id: certificateId },
    actions: [{ id: 'open', label: { en: 'Open', de: 'Öffnen' }, type: 'url', url, style: 'primary' }],
    groupKey: `training-${courseId}`,
  };
}

const titles: Record<(typeof learnerNotices)[number], Texts> = {
  enrolled: { en: 'You are enrolled in a course', de: 'Sie sind in einen Kurs eingeschrieben' },
  due: { en: 'A course is due soon', de: 'Ein Kurs ist bald fällig' },
  overdue: { en: 'A course is overdue', de: 'Ein Kurs ist überfällig' },
  expiring: { en: 'Your access to a course ends soon', de: 'Ihr Zugang zu einem Kurs endet bald' },
  expired: { en: 'Your access to a course has ended', de: 'Ihr Zugang zu einem Kurs ist beendet' },
  certificate_issued: { en: 'You have a new certificate', de: 'Sie haben ein neues Zertifikat' },
  certificate_expiring: { en: 'A certificate expires soon', de: 'Ein Zertifikat läuft bald ab' },
};

function bodyOf({ data: { notice, courseTitle, at } }: LearnerEvent): Texts {
  const [en, de] = [`“${courseTitle}”`, `„${courseTitle}“`];
  // The event of a notice about a date always has it.
  const on = (reader: Parameters<typeof timeFor>[0]) => (at === null ? '' : timeFor(reader, at));
  switch (notice) {
    case 'enrolled':
      return {
        en: (reader) => `You are enrolled in the course ${en}${at === null ? '' : `, due on ${on(reader)}`}.`,
        de: (reader) => `Sie sind in den Kurs ${de} eingeschrieben${at === null ? '' : `, fällig am ${on(reader)}`}.`,
      };
    case 'due':
      return {
        en: (reader) => `Complete the course ${en} by ${on(reader)}.`,
        de: (reader) => `Schließen Sie den Kurs ${de} bis ${on(reader)} ab.`,
      };
    case 'overdue':
      return {
        en: (reader) => `The course ${en} was due on ${on(reader)}. Please complete it.`,
        de: (reader) => `Der Kurs ${de} war am ${on(reader)} fällig. Bitte schließen Sie ihn ab.`,
      };
    case 'expiring':
      return {
        en: (reader) => `Your access to the course ${en} ends on ${on(reader)}.`,
        de: (reader) => `Ihr Zugang zum Kurs ${de} endet am ${on(reader)}.`,
      };
    case 'expired':
      return {
        en: (reader) => `Your access to the course ${en} ended on ${on(reader)}.`,
        de: (reader) => `Ihr Zugang zum Kurs ${de} endete am ${on(reader)}.`,
      };
    case 'certificate_issued':
      return {
        en: `You completed the course ${en} and have its certificate.`,
        de: `Sie haben den Kurs ${de} abgeschlossen und das Zertifikat erhalten.`,
      };
    default:
      return {
        en: (reader) => `Your certificate of the course ${en} expires on ${on(reader)}.`,
        de: (reader) => `Ihr Zertifikat des Kurses ${de} läuft am ${on(reader)} ab.`,
      };
  }
}
