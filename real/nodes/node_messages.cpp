// Archives the messages of master and nodes.
#include "real/nodes/node_messages.hpp"

#include "shared_policies/records/archive.hpp"

namespace equipoise {
namespace {

template <class Message>
std::string written_message(const Message& message) {
  ArchiveWriter archive;
  archive(message);
  return archive.take();
}

template <class Message>
Message read_message(std::string_view bytes) {
  ArchiveReader archive(bytes);
  Message message;
  archive(message);
  expect_well_formed(archive.is_at_end());
  return message;
}

}  // namespace

std::string archived(const MessageToNode& message) { return written_message(message); }
std::string archived(const MessageFromNode& message) { return written_message(message); }
MessageToNode read_message_to_node(std::string_view bytes) {
  return read_message<MessageToNode>(bytes);
}
MessageFromNode read_message_from_node(std::string_view bytes) {
  return read_message<MessageFromNode>(bytes);
}

}  // namespace equipoise
