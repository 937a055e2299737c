-- AlterTable
ALTER TABLE "webhook" ADD COLUMN     "authorized_by" BIGINT;
