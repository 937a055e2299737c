-- AlterTable
ALTER TABLE "phone_call" ADD COLUMN     "answered_at" TIMESTAMPTZ(3);
