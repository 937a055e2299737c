-- AlterTable
ALTER TABLE "session" ADD COLUMN     "last_seen_at" TIMESTAMPTZ(3),
ADD COLUMN     "method" TEXT;
