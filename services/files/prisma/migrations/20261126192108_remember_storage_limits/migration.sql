-- AlterTable
ALTER TABLE "storage_usage" ADD COLUMN     "limit_bytes" BIGINT,
ADD COLUMN     "limit_known_at" TIMESTAMPTZ(3);
