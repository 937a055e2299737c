import { z } from 'zod';

/** Limits of packages and of the data that they store. */
export const scormLimits = {
  packageBytes: 100 * 1024 * 1024,
  unpackedBytes: 400 * 1024 * 1024,
  entries: 5_000,
  pathChars: 400,
  suspendChars: 64_000,
  interactions: 250,
  objectives: 100,
  textChars: 1_000,
  // The run-time API in the page accepts numbers with up to 10 digits before the point, so no package reaches this.
  scoreMax: 10_000_000_000,
  commitBytes: 600_000,
} as const;

/** How long a launched package can be used. */
export const scormLaunchSeconds = 8 * 3_600;

export const ScormVersion = z.enum(['1.2', '2004']).describe('The version of SCORM that the package uses');

/** The facts of a package that authors and learners see. */
export const ScormSummary = z.object({
  version: ScormVersion.meta({ examples: ['1.2'] }),
  title: z.string().meta({ description: 'The title in the manifest of the package', examples: ['The first call'] }),
  masteryScore: z
    .number()
    .nullable()
    .meta({ description: 'The score that passes, from 0 to 100; null if the package names none', examples: [80] }),
});
