/** Runs every step, one after the other, even if one fails; then rejects with the first error. */
export async function closeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length) throw errors[0];
}
