import { z } from 'zod';

/** The job that recounts the running enrolments of a course after its lessons changed. */
export const followContentJob = {
  name: 'follow-content',
  payload: z.object({ courseId: z.int(), after: z.int().optional() }),
};
