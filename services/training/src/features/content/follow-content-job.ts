import { z } from 'zod';

/** The job that recounts the running enrolments of a course after its lessons changed. */
export const followContentJob = {
  name: 'follow-content',
  // The version of the content that the enrolments get.
  payload: z.object({ courseId: z.int(), contentVersion: z.int(), after: z.int().optional() }),
};
