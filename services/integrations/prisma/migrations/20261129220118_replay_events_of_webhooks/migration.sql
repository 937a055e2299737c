-- AlterTable
ALTER TABLE "recovery" ADD COLUMN     "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'recovery',
ADD COLUMN     "reached_at" TIMESTAMPTZ(3),
ADD COLUMN     "reached_id" BIGINT;
