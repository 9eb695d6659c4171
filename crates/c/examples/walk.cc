// walk: the same interface from C++, with owners that close what they open.
//
//     walk CATALOG-DIRECTORY DATA-SET
#include <cica.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string_view>

template <class T, int (*close)(T *)>
struct Closer {
    void operator()(T *handle) const { close(handle); }
};
using Env = std::unique_ptr<cica_env, Closer<cica_env, cica_env_close>>;
using DataSet = std::unique_ptr<cica_dataset, Closer<cica_dataset, cica_close>>;
using String = std::unique_ptr<cica_string, Closer<cica_string, cica_string_close>>;

static void must(int code)
{
    if (code != CICA_OK)
        throw std::runtime_error(cica_message());
}

int main(int argc, char **argv)
try {
    if (argc != 3)
        throw std::runtime_error("walk CATALOG-DIRECTORY DATA-SET");
    cica_env_options options{};
    options.size = sizeof options;
    options.catalog = argv[1];
    cica_env *env_handle;
    must(cica_env_open(&options, &env_handle));
    Env env(env_handle);

    cica_attributes attributes{};
    attributes.size = sizeof attributes;
    cica_dataset *data_set_handle;
    must(cica_open(env.get(), argv[2], CICA_INPUT, &attributes, &data_set_handle));
    DataSet data_set(data_set_handle);
    std::cout << attributes.organization << " key " << attributes.key_length << " at " << attributes.key_offset << '\n';

    cica_string *string_handle;
    must(cica_string_open(data_set.get(), &string_handle));
    String string(string_handle);
    // Backward, from the last record.
    must(cica_point(string.get(), nullptr, 0, CICA_BACKWARD));
    cica_val record;
    while (cica_prev(string.get(), CICA_READ, &record) == CICA_OK)
        std::cout << std::string_view(static_cast<const char *>(record.data), record.size) << '\n';
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
