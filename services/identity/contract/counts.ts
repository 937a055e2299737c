import { operations, signedIn } from '@tandem/contract';
import { z } from 'zod';

const count = (description: string, example: number) =>
  z
    .int()
    .nonnegative()
    .meta({ description, examples: [example] });

export const Counts = z.object({
  tasks: z
    .object({
      overdue: count('Open tasks of the caller whose due time has passed', 2),
      dueToday: count('Open tasks of the caller that are due by the end of the day in their time zone', 5),
    })
    .nullable()
    .describe('Null if the caller may not read tasks'),
  approvals: z
    .object({ pending: count('Actions of agents that wait for an approval', 1) })
    .nullable()
    .describe('Null if the caller may not read agents'),
  partnerApplications: z
    .object({ pending: count('Partners that wait for an approval', 3) })
    .nullable()
    .describe('Null if the caller may not read partners'),
  notifications: z
    .object({ unread: count('Unread notifications of the caller', 4) })
    .nullable()
    .describe('Null if the caller may not read notifications'),
});

export const counts = operations({
  getCounts: {
    method: 'GET',
    path: '/v1/counts',
    permission: signedIn,
    summary: "Retrieve the counts of the caller's badges",
    description:
      'Each part counts what the caller may read. A part is null if they may not read it, or if its service is unavailable; `meta.warnings` names it then.',
    reply: Counts,
    message: 'Counts retrieved',
  },
});
